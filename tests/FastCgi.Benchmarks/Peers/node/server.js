// The workloads on node-fastcgi: node server.js ADDRESS. It has one thread, so nothing here may block.
'use strict';

const fs = require('fs');
const querystring = require('querystring');
const { createServer } = require('node-fastcgi');

const chunk = Buffer.alloc(65536, 'x');
const page = '<!DOCTYPE html><html><body><h1>Hello World!</h1></body></html>';

// The path of a unix socket, or an address with its port.
const [, host, port] = process.argv[2].match(/^([0-9.]+):(\d+)$/) || [];
const socket = process.argv[2];

function send(response, type, body) {
    response.writeHead(200, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) });
    response.end(body);
}

function readAll(request, done) {
    const parts = [];
    request.on('data', part => parts.push(part));
    request.on('end', () => done(Buffer.concat(parts)));
}

const workloads = {
    '/plaintext': (request, response) => send(response, 'text/plain', 'Hello, World!'),
    '/hello': (request, response) => send(response, 'text/html', page),
    '/json': (request, response) =>
        send(response, 'application/json', JSON.stringify({ message: 'Hello, World!' })),
    '/form': (request, response) => readAll(request, body =>
        send(response, 'text/plain', `fields=${Object.keys(querystring.parse(body.toString())).length}`)),
    '/download': (request, response) => {
        response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': 1048576 });
        for (let i = 0; i < 16; i++) {
            response.write(chunk);
        }
        response.end();
    },
    '/upload': (request, response) => {
        let length = 0;
        request.on('data', part => { length += part.length; });
        request.on('end', () => send(response, 'text/plain', `bytes=${length}`));
    },
    '/events': (request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
        let i = 0;
        const timer = setInterval(() => {
            response.write(`data: ${i}\n\n`);
            if (++i === 100) {
                clearInterval(timer);
                response.end();
            }
        }, 10);
    },
};

const server = createServer((request, response) => {
    const workload = workloads[request.url];
    if (workload) {
        workload(request, response);
    } else {
        response.writeHead(404);
        response.end();
    }
});

if (port) {
    server.listen(Number(port), host);
} else {
    server.listen(socket, () => fs.chmodSync(socket, 0o666));
}
