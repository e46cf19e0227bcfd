namespace FastCgi.Gateway.Documents;

/// <summary>The kinds of files and directories that a path can name below a document root.</summary>
internal enum DocumentKind
{
    /// <summary>Nothing that may be sent.</summary>
    None,

    /// <summary>A script, for the application to run.</summary>
    Script,

    /// <summary>A file that is sent as it is.</summary>
    File,

    /// <summary>A directory, and the path has no slash at its end.</summary>
    DirectoryWithoutSlash,

    /// <summary>A directory without an index file.</summary>
    DirectoryWithoutIndex,
}
