namespace FastCgi.AspNetCore.Cgi;

/// <summary>Which params the URL of a request is taken from.</summary>
internal enum CgiTargetSource
{
    /// <summary>REQUEST_URI: the target as the client sent it. Every web server fills it.</summary>
    RequestUri,

    /// <summary>
    /// SCRIPT_NAME and PATH_INFO: what the web server made of the target. For sites that rewrite in the web server; an
    /// encoded slash and an empty segment are lost on the way.
    /// </summary>
    ScriptNameAndPathInfo,
}
