namespace FastCgi.AspNetCore;

/// <summary>The params that the request's target is taken from.</summary>
public enum FastCgiTargetSource
{
    /// <summary>
    /// REQUEST_URI: what the client sent, still encoded. Where nginx has redirected the request internally, by
    /// <c>rewrite</c>, <c>error_page</c>, <c>try_files</c>, <c>auth_request</c> or X-Accel-Redirect: DOCUMENT_URI and
    /// QUERY_STRING, as behind <c>proxy_pass</c>.
    /// </summary>
    Default,

    /// <summary>REQUEST_URI: what the client sent, also where nginx has redirected the request internally.</summary>
    RequestUri,

    /// <summary>
    /// SCRIPT_NAME and PATH_INFO, which the web server has decoded and normalised: for sites that rewrite URLs in a web
    /// server other than nginx. <c>%2F</c> and <c>//</c> cannot be told from <c>/</c> any more.
    /// </summary>
    ScriptNameAndPathInfo,
}
