<?php
// The application of the peer tests: one script for every target.
switch (parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH)) {
    case '/echo':
        header('Content-Type: application/octet-stream');
        header('X-Method: ' . $_SERVER['REQUEST_METHOD']);
        header('X-Query: ' . $_SERVER['QUERY_STRING']);
        header('X-Custom: ' . ($_SERVER['HTTP_X_CUSTOM'] ?? ''));
        header('Set-Cookie: a=1', false);
        header('Set-Cookie: b=2', false);
        fpassthru(fopen('php://input', 'rb'));
        break;
    case '/large':
        header('Content-Type: application/octet-stream');
        echo str_repeat('x', 1048576);
        break;
    case '/slow':
        echo "first\n";
        ob_flush();
        flush();
        sleep(5);
        break;
    case '/late':
        ignore_user_abort(true);
        echo "begun\n";
        ob_flush();
        flush();
        usleep(200000);
        echo $_SERVER['QUERY_STRING'];
        break;
    case '/warning':
        error_log('a warning of the application');
        echo 'warned';
        break;
    default:
        http_response_code(404);
}
