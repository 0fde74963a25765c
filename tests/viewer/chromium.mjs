// A headless Chromium, over the pipe of its DevTools protocol: no packages, no ports.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class Browser {
    constructor(program) {
        this.profile = mkdtempSync(join(tmpdir(), 'viewer-'));
        this.process = spawn(program, ['--headless=new', '--remote-debugging-pipe', '--no-sandbox', '--disable-gpu', '--hide-scrollbars',
            '--disable-dev-shm-usage', '--host-resolver-rules=MAP * ~NOTFOUND', `--user-data-dir=${this.profile}`, 'about:blank'],
            { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
        this.next = 1;
        this.waiting = new Map();
        this.listeners = [];
        this.text = '';
        this.process.stdio[4].setEncoding('utf8').on('data', data => this.read(data));
        this.process.on('exit', () => { for (const { reject } of this.waiting.values()) reject(new Error('Chromium ended')); });
    }

    read(data) {
        const messages = (this.text + data).split('\0');
        this.text = messages.pop();
        for (const message of messages.map(m => JSON.parse(m))) {
            const call = this.waiting.get(message.id);
            this.waiting.delete(message.id);
            if (!call) this.listeners.forEach(listener => listener(message));
            else if (message.error) call.reject(new Error(message.error.message));
            else call.resolve(message.result);
        }
    }

    send(method, params = {}, sessionId = this.session) {
        const id = this.next++;
        return new Promise((resolve, reject) => {
            this.waiting.set(id, { resolve, reject });
            this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + '\0');
        });
    }

    async open(url, width = 1440, height = 900, scale = 1) {
        const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' }, undefined);
        this.session = (await this.send('Target.attachToTarget', { targetId, flatten: true }, undefined)).sessionId;
        await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: scale, mobile: false });
        for (const domain of ['Page', 'Runtime', 'Network', 'Accessibility', 'DOM']) await this.send(domain + '.enable');
        await this.send('Page.navigate', { url });
    }

    async run(expression) {
        const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
        return result.value;
    }

    async until(expression, seconds = 20) {
        for (const end = Date.now() + seconds * 1000; Date.now() < end; await new Promise(r => setTimeout(r, 20)))
            if (await this.run(expression)) return;
        throw new Error('not within ' + seconds + ' s: ' + expression);
    }

    async key(key, code = key, text = key.length === 1 ? key : undefined) {
        const codes = { Tab: 9, ArrowRight: 39, ArrowLeft: 37, ' ': 32, Enter: 13, Home: 36, End: 35 };
        const common = { key, code, windowsVirtualKeyCode: codes[key] || key.toUpperCase().charCodeAt(0) };
        await this.send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', text, ...common });
        await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...common });
    }

    async picture() {
        return Buffer.from((await this.send('Page.captureScreenshot', { format: 'png' })).data, 'base64');
    }

    async close() {
        const ended = new Promise(resolve => this.process.on('exit', resolve));
        await this.send('Browser.close', {}, undefined).catch(() => {});
        await ended;
        rmSync(this.profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    }
}
