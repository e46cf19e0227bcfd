INSERT INTO categories (name) VALUES ('announcements'), ('articles'), ('recipes');

INSERT INTO posts (category_id, title, content, published, created) VALUES
    (1, 'Hello', 'The blog has opened.', TRUE, '2024-01-01 09:00:00'),
    (2, 'Tables without a model', 'The columns are read from the catalogue of the database, so nobody has to describe them twice. What was a table a minute ago is a resource now: list it, filter it, sort it, change it.', TRUE, '2024-01-02 10:30:00'),
    (2, 'Grüße aus Köln', 'Ümläüts, “quotation marks” & <angle brackets> arrive as they were written. 😀', TRUE, '2024-01-03 18:45:30'),
    (3, 'Pancakes', 'Flour, eggs, milk, a pinch of salt; rest the batter for half an hour.', TRUE, '2024-01-04 08:15:00'),
    (3, 'Apple pie', 'The secret is 100% butter.', FALSE, '2024-01-05 16:00:00');

INSERT INTO comments (post_id, author, message, created) VALUES
    (1, 'Ann', 'Good to have you here.', '2024-01-01 10:00:00'),
    (1, NULL, 'First!', '2024-01-01 10:05:00'),
    (2, 'Bob', 'Does it work with views?', '2024-01-02 11:00:00'),
    (2, 'Ann', 'It does, for reading.', '2024-01-02 11:10:00'),
    (4, 'Cho', 'Half an hour is too long when the children are awake.', '2024-01-04 09:00:00');

INSERT INTO tags (name, is_important) VALUES ('news', TRUE), ('sql', FALSE), ('food', FALSE);

INSERT INTO post_tags (post_id, tag_id) VALUES (1, 1), (2, 1), (2, 2), (4, 3), (5, 3);
