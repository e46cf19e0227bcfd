<?php
// The workloads that PHP can serve without a framework; the others answer 404: "does not have it".

header('X-Powered-By:');
$path = strtok($_SERVER['REQUEST_URI'], '?');
switch ($path) {
    case '/plaintext':
        plain('Hello, World!');
        break;
    case '/block':
        usleep(5000);
        plain('Hello, World!');
        break;
    case '/json':
        header('Content-Type: application/json');
        send(json_encode(['message' => 'Hello, World!']));
        break;
    case '/form':
        plain('fields=' . count($_POST));
        break;
    case '/download':
        header('Content-Type: application/octet-stream');
        header('Content-Length: 1048576');
        $chunk = str_repeat('x', 65536);
        for ($i = 0; $i < 16; $i++) {
            echo $chunk;
        }
        break;
    case '/upload':
        $input = fopen('php://input', 'rb');
        $length = 0;
        while (($chunk = fread($input, 65536)) !== false && $chunk !== '') {
            $length += strlen($chunk);
        }
        plain("bytes=$length");
        break;
    case '/events':
        header('Content-Type: text/event-stream');
        header('X-Accel-Buffering: no');
        for ($i = 0; $i < 100; $i++) {
            echo "data: $i\n\n";
            flush();
            usleep(10000);
        }
        break;
    default:
        http_response_code(404);
}

function plain(string $text): void
{
    header('Content-Type: text/plain');
    send($text);
}

function send(string $body): void
{
    header('Content-Length: ' . strlen($body));
    echo $body;
}
