// node --single-threaded tests/targets/wasi.js PROGRAM: runs a program compiled for WebAssembly with WASI; it sees this folder and
// no other. (With threads node 20 crashes now and then after a program has ended.)
'use strict';
const fs = require('fs');
const { WASI } = require('wasi');

const wasi = new WASI({ version: 'preview1', args: [process.argv[2]], env: {}, preopens: { '.': '.' }, returnOnExit: true });
WebAssembly.instantiate(fs.readFileSync(process.argv[2]), { wasi_snapshot_preview1: wasi.wasiImport })
    .then(({ instance }) => process.exit(wasi.start(instance)));
