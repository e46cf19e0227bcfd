// The application of the peer tests on node-fastcgi: node server.js SOCKET.
'use strict';

const { createServer } = require('node-fastcgi');

createServer((request, response) => {
    const [path, query] = request.url.split('?');
    switch (path) {
        case '/echo':
            response.writeHead(200, {
                'Content-Type': 'application/octet-stream',
                'X-Method': request.method,
                'X-Query': query || '',
                'X-Custom': request.headers['x-custom'] || '',
                'Set-Cookie': ['a=1', 'b=2'],
            });
            request.pipe(response);
            break;
        case '/large':
            response.writeHead(200, { 'Content-Type': 'application/octet-stream' });
            response.end(Buffer.alloc(1048576, 'x'));
            break;
        case '/slow':
            response.writeHead(200, { 'Content-Type': 'text/plain' });
            response.write('first\n');
            setTimeout(() => response.end(), 5000);
            break;
        case '/late':
            response.write('begun\n');
            setTimeout(() => response.end(query), 200);
            break;
        default:
            response.writeHead(404);
            response.end();
    }
}).listen(process.argv[2]);
