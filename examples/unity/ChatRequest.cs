// Asks a chat completions server and gives the text as it arrives. Put it on an object, set `url` and `key`, and call Ask.
// Not tried in Unity: see README.md.
using System;
using System.Collections;
using System.Text;
using UnityEngine;
using UnityEngine.Networking;

namespace Elelem
{
    // Takes what arrived since the last frame; Unity calls ReceiveData on the main thread.
    public sealed class TurnHandler : DownloadHandlerScript
    {
        readonly Turn turn;
        readonly Action take;

        // With a buffer of its own the handler gets the same array each time.
        public TurnHandler(Turn turn, Action take) : base(new byte[16 * 1024])
        {
            this.turn = turn;
            this.take = take;
        }

        protected override bool ReceiveData(byte[] data, int length)
        {
            turn.Push(data, 0, length);
            take();
            return true;
        }
    }

    public sealed class ChatRequest : MonoBehaviour
    {
        public string url = "https://localhost/v1/chat/completions";
        public string key = "";
        public string model = "model";

        readonly char[] piece = new char[16 * 1024];
        Turn turn;
        UnityWebRequest request;
        bool isOver;

        // Characters of the text, and how many. The array is used again for the next piece.
        public event Action<char[], int> Said;
        public event Action<string, string> Called; // a function's name, and its arguments as JSON
        public event Action<string> Failed;

        void Awake() { turn = new Turn("chat"); }

        void OnDestroy()
        {
            if (request != null) request.Dispose();
            turn.Dispose();
        }

        public IEnumerator Ask(string body)
        {
            turn.Reset();
            isOver = false;
            request = new UnityWebRequest(url, "POST");
            request.uploadHandler = new UploadHandlerRaw(Encoding.UTF8.GetBytes(body));
            request.downloadHandler = new TurnHandler(turn, Take);
            request.SetRequestHeader("Content-Type", "application/json");
            request.SetRequestHeader("Authorization", "Bearer " + key);
            yield return request.SendWebRequest();
            turn.HttpStatus = (int)request.responseCode;
            turn.Finish();
            Take();
            request.Dispose();
            request = null;
        }

        void Take()
        {
            if (request != null && request.responseCode != 0) turn.HttpStatus = (int)request.responseCode;
            while (turn.Next())
            {
                ref Update update = ref turn.Current;
                switch (update.Kind)
                {
                    case UpdateKind.Text:
                        if (Said != null) Said(piece, update.Text.CopyTo(piece, 0));
                        break;
                    case UpdateKind.ToolCallDone:
                        if (Called != null) Called(update.ToolCall.Name.ToString(), update.ToolCall.Text.ToString());
                        break;
                    case UpdateKind.Error:
                        isOver = true;
                        if (Failed != null) Failed(update.Error.Message.ToString());
                        break;
                    case UpdateKind.Finished:
                        isOver = true;
                        break;
                }
            }
        }

        public bool IsOver { get { return isOver; } }
    }
}
