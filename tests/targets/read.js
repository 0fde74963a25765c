// node tests/targets/read.js MODULE RESPONSE: gives the bytes to the module one by one, and prints what it said.
const fs = require('fs');
const module_ = new WebAssembly.Module(fs.readFileSync(process.argv[2]));
const { memory, begin, give, finish, said, said_size } = new WebAssembly.Instance(module_, {}).exports;
const at = begin();
let isFinished = 0;
for (const byte of fs.readFileSync(process.argv[3])) {
    new Uint8Array(memory.buffer)[at] = byte;
    isFinished = give(1) || isFinished;
}
isFinished = finish() || isFinished;
console.log(Buffer.from(memory.buffer, said(), said_size()).toString());
process.exit(isFinished ? 0 : 1);
