namespace FastCgi.AspNetCore;

/// <summary>The source of the request's target.</summary>
public enum FastCgiTargetSource
{
    /// <summary>
    /// The page that the web server asks for, as an HTTP back end sees it. That is REQUEST_URI, still encoded, unless
    /// the web server redirects internally: to an error page, by a rewrite, for an include or a permission check. Then
    /// DOCUMENT_URI, SCRIPT_NAME and PATH_INFO, or SCRIPT_FILENAME of Apache's proxy, name the page. A request without
    /// any of them is refused.
    /// </summary>
    Default,

    /// <summary>
    /// REQUEST_URI: the client's target, even if the web server has refused it and asks for an error page. For web
    /// servers that never redirect internally.
    /// </summary>
    RequestUri,

    /// <summary>
    /// SCRIPT_NAME and PATH_INFO, which the web server has decoded and normalised. <c>%2F</c> and <c>//</c> cannot be
    /// distinguished from <c>/</c> any more.
    /// </summary>
    ScriptNameAndPathInfo,
}
