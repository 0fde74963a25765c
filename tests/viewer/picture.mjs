// node tests/viewer/picture.mjs PAGE OUT.png [light|dark] [WIDTH HEIGHT SCALE] [SCRIPT]: what the page looks like after the script.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Browser } from './chromium.mjs';

const [page, out, scheme = 'light', width = 1440, height = 900, scale = 1, script = ''] = process.argv.slice(2);
const browser = new Browser(process.env.CHROMIUM || 'chromium');
browser.listeners.push(m => { if (m.method === 'Runtime.exceptionThrown') console.error(m.params.exceptionDetails.exception?.description); });
await browser.open('file://' + resolve(page), Number(width), Number(height), Number(scale));
await browser.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
await browser.until('document.documentElement.dataset.ready === "1" || !document.getElementById("trouble").hidden');
if (script) await browser.run(script);
await new Promise(r => setTimeout(r, 300));
writeFileSync(out, await browser.picture());
await browser.close();
