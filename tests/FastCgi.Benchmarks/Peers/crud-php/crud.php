<?php
// GET /posts/{id} and /records/posts/{id} as samples/CrudApi answers them, by PDO on a persistent connection: byte for byte, save that .NET
// escapes characters beyond U+FFFF.
//
// The database is that of the sample. Its DSN comes as CRUD_DSN, a fastcgi_param or a variable of the environment:
//   sqlite:/path/to/blog.db
//   pgsql:host=/run/postgresql;dbname=blog
//   mysql:unix_socket=/run/mysqld/mysqld.sock;dbname=blog;charset=utf8mb4
// CRUD_USER and CRUD_PASSWORD too, where the database asks for them.

header('X-Powered-By:');
if (!preg_match('~^(/records)?/posts/([0-9]{1,18})$~', strtok($_SERVER['REQUEST_URI'], '?'), $path)) {
    problem(404, 'There is no such table or record.');
    return;
}

try {
    $database = new PDO(setting('CRUD_DSN'), setting('CRUD_USER'), setting('CRUD_PASSWORD'), [
        PDO::ATTR_PERSISTENT => true,
        PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
        PDO::ATTR_EMULATE_PREPARES => false,
        PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_ASSOC,
    ]);
    $query = $database->prepare(
        'SELECT id, category_id, title, content, published, created FROM posts WHERE id = ?');
    $query->execute([(int)$path[2]]);
    $post = $query->fetch();
} catch (PDOException $e) {
    error_log($e->getMessage());
    problem(503, 'The database cannot be reached.');
    return;
}

if ($post === false) {
    problem(404, "Table 'posts' has no record '$path[2]'.");
    return;
}

// SQLite and MariaDB have no booleans of their own; all of them write times with a space, as PHP-CRUD-API does.
$post['published'] = (bool)$post['published'];
if ($path[1] === '') {
    $post['created'] = strtr($post['created'], ' ', 'T');
}
send(200, 'application/json', $post);

function setting(string $name): ?string
{
    return $_SERVER[$name] ?? (getenv($name) ?: null);
}

function problem(int $status, string $detail): void
{
    send($status, 'application/problem+json', ['status' => $status, 'detail' => $detail]);
}

function send(int $status, string $type, array $answer): void
{
    $json = json_encode($answer, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR);
    http_response_code($status);
    header("Content-Type: $type");
    header('Content-Length: ' . strlen($json));
    echo $json;
}
