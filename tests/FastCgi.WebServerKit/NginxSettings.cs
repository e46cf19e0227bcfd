namespace FastCgi.WebServerKit;

/// <summary>What tests vary in the site's configuration. The defaults are nginx's own.</summary>
internal sealed record NginxSettings
{
    public static NginxSettings Default { get; } = new();

    /// <summary>nginx reads the whole request body before it asks the application.</summary>
    public bool BuffersRequests { get; init; } = true;

    public bool BuffersResponses { get; init; } = true;

    /// <summary>Room for the response head; null means 32 KiB, as the documentation recommends.</summary>
    public string? ResponseHeadBuffer { get; init; }

    /// <summary>TLS between client and nginx, with a certificate made for the run.</summary>
    public bool IsEncrypted { get; init; }

    /// <summary>Further lines before the server.</summary>
    public string Http { get; init; } = "";

    /// <summary>Further lines for the location.</summary>
    public string More { get; init; } = "";
}
