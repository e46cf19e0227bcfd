namespace FastCgi.AspNetCore.Files;

/// <summary>How the web server is told of a file: the response header, and the file's name in it.</summary>
internal readonly record struct HandedOverFile(string HeaderName, string HeaderValue);
