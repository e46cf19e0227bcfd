-- The tables of PHP-CRUD-API's documentation, with records of our own.
CREATE TABLE categories (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name VARCHAR(255) NOT NULL
);

CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    username VARCHAR(255) NOT NULL,
    phone VARCHAR(50)
);

CREATE TABLE posts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    category_id INTEGER REFERENCES categories (id),
    title VARCHAR(255) NOT NULL,
    content TEXT NOT NULL,
    visits INTEGER NOT NULL DEFAULT 0,
    created DATETIME NOT NULL
);

CREATE TABLE comments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    post_id INTEGER NOT NULL REFERENCES posts (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    category_id INTEGER NOT NULL REFERENCES categories (id),
    message VARCHAR(255) NOT NULL
);

CREATE TABLE tags (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name VARCHAR(255) NOT NULL
);

CREATE TABLE post_tags (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    post_id INTEGER NOT NULL REFERENCES posts (id),
    tag_id INTEGER NOT NULL REFERENCES tags (id)
);

INSERT INTO categories (name) VALUES ('Internet'), ('announcement'), ('Web development'), ('comment'), ('Databases');
INSERT INTO users (username, phone) VALUES ('ann', NULL), ('bob', '555-0100');
INSERT INTO posts (category_id, title, content, visits, created) VALUES
    (2, 'Hello again', 'The first post of these tests.', 3, '2018-03-05 20:12:56'),
    (1, 'Lists', 'A post about filters.', 0, '2018-03-06 21:34:01'),
    (NULL, 'Loose', 'It belongs to nothing.', 1, '2018-03-07 08:00:00');
INSERT INTO comments (post_id, user_id, category_id, message) VALUES
    (1, 1, 4, 'A great start'), (1, 2, 4, 'Hi!'), (2, 2, 5, 'What about joins?');
INSERT INTO tags (name) VALUES ('funny'), ('useful');
INSERT INTO post_tags (post_id, tag_id) VALUES (1, 1), (2, 1), (2, 2);
