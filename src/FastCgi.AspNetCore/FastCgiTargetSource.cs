namespace FastCgi.AspNetCore;

/// <summary>The params that the request's target is taken from.</summary>
public enum FastCgiTargetSource
{
    /// <summary>
    /// REQUEST_URI: what the client sent, still encoded, and the one param that is right on every web server.
    /// </summary>
    RequestUri,

    /// <summary>
    /// SCRIPT_NAME and PATH_INFO, which the web server has decoded and normalised: for sites that rewrite URLs in the
    /// web server. <c>%2F</c> and <c>//</c> cannot be told from <c>/</c> any more.
    /// </summary>
    ScriptNameAndPathInfo,
}
