namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>The categories of the server's logs. One filter for <c>FastCgi.AspNetCore</c> holds for all.</summary>
internal static class LogCategories
{
    public const string Server = "FastCgi.AspNetCore.Server";
    public const string Connections = "FastCgi.AspNetCore.Connections";
    public const string Requests = "FastCgi.AspNetCore.Requests";

    /// <summary>The category for wrong bytes of peers and browsers.</summary>
    public const string BadRequests = "FastCgi.AspNetCore.BadRequests";

    /// <summary>Requests that run longer than SlowRequestAfter, for a log of their own.</summary>
    public const string SlowRequests = "FastCgi.AspNetCore.SlowRequests";

    public const string Transport = "FastCgi.AspNetCore.Transport";
}
