<?php
// What PHP makes of a request, for a look at each variable.
header('Content-Type: application/json');
echo json_encode($_SERVER, JSON_INVALID_UTF8_SUBSTITUTE);
