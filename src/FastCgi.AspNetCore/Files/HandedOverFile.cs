namespace FastCgi.AspNetCore.Files;

/// <summary>How the web server is told of a file: the response header, and the file's name in it.</summary>
internal readonly record struct HandedOverFile(string HeaderName, string HeaderValue)
{
    /// <summary>Response headers that the location of nginx relays. Other web servers relay all.</summary>
    public IReadOnlyCollection<string> RelayedHeaders { get; init; } = [];
}
