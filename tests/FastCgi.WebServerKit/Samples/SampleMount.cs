namespace FastCgi.WebServerKit.Samples;

/// <summary>Where the web server has the application, and how the application learns of it.</summary>
internal enum SampleMount
{
    /// <summary>At the root.</summary>
    Root,

    /// <summary>Under /app, and the application's own option says so.</summary>
    PathAlone,

    /// <summary>Under /app, which the web server's configuration says by the param ASPNETCORE_PATHBASE.</summary>
    PathBaseParam,

    /// <summary>Under /app, which SCRIPT_NAME tells as far as this web server can.</summary>
    ScriptName,
}
