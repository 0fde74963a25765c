# Asks a chat completions server and prints the text as it arrives. A child node ElelemTurn reads the response.
extends Node

@export var host := "localhost"
@export var path := "/v1/chat/completions"
@export var port := 8080

var client := HTTPClient.new()
var body := ""
var is_asked := false
var is_over := false

@onready var turn: ElelemTurn = $ElelemTurn


func _ready() -> void:
    turn.said.connect(func(text: String) -> void: print(text))
    turn.called.connect(func(_id: String, function: String, arguments: String) -> void: print(function, JSON.parse_string(arguments)))
    turn.finished.connect(func(reason: String) -> void: print("finished: ", reason))
    turn.failed.connect(func(kind: String, message: String, _again: bool) -> void: push_error(kind + ": " + message))


func ask(request: String) -> void:
    turn.start("chat")
    body = request
    is_asked = false
    is_over = false
    client.connect_to_host(host, port)


# A few kilobytes a frame: what is left comes in the next one.
func _process(_delta: float) -> void:
    if body.is_empty() or is_over:
        return
    client.poll()
    match client.get_status():
        HTTPClient.STATUS_CONNECTED:
            if is_asked: # the response is over; a refusal may have no body
                turn.http_status(client.get_response_code())
                stop()
            else:
                is_asked = true
                client.request(HTTPClient.METHOD_POST, path, ["Content-Type: application/json"], body)
        HTTPClient.STATUS_BODY:
            turn.http_status(client.get_response_code())
            turn.push(client.read_response_body_chunk())
        HTTPClient.STATUS_DISCONNECTED, HTTPClient.STATUS_CANT_CONNECT, HTTPClient.STATUS_CANT_RESOLVE, HTTPClient.STATUS_CONNECTION_ERROR:
            stop()


func stop() -> void:
    is_over = true
    turn.finish()
