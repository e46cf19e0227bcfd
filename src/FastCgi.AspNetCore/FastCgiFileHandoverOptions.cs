using FastCgi.AspNetCore.Files;

namespace FastCgi.AspNetCore;

/// <summary>
/// Directories whose files the web server sends itself: if a response to GET or HEAD is one of them, the server answers
/// with the name of the file in place of the body, and the request is over. Default: no directory. Takes effect at the
/// start of the server and at a reload.
/// </summary>
/// <remarks>
/// A directory is an absolute path and need not exist yet. Files of its subdirectories belong to it too, unless a
/// subdirectory has been added itself. A file behind a link belongs to the directory that the link leads to; if that is
/// none of these, this server sends the file. Adding a directory again replaces it. A request opts out by
/// <see cref="IFastCgiRequestFeature.AllowFileHandover"/>. A web server that SERVER_SOFTWARE names and that does not
/// know the header gets the file as a body. So does every web server if the response has no Content-Type.
/// </remarks>
public sealed class FastCgiFileHandoverOptions
{
    private readonly List<HandoverFolder> _folders = [];

    internal FastCgiFileHandoverOptions()
    {
    }

    /// <summary>
    /// Response headers, in any case, that nginx relays beside a file: the location of every directory has
    /// <c>add_header Name $upstream_http_name</c>, for instance for <c>Content-Security-Policy</c>. If a response has
    /// another header that nginx would drop, this server sends the file. Default none. No effect on
    /// <see cref="AddXSendfile"/>: Apache and lighttpd relay all headers.
    /// </summary>
    public ISet<string> RelayedHeaders { get; } = new HashSet<string>(StringComparer.OrdinalIgnoreCase);

    /// <summary>The directories, or null for none. They are fixed when they are first asked for.</summary>
    internal HandoverFolders? Folders =>
        _folders.Count == 0 ? null : field ??= new HandoverFolders(_folders, RelayedHeaders);

    /// <summary>Adds a directory for nginx, which takes the name of a file in <c>X-Accel-Redirect</c>.</summary>
    /// <param name="directory">An absolute path.</param>
    /// <param name="uriPrefix">
    /// The prefix of the nginx location that is <c>internal</c> and whose <c>alias</c> is the directory, for instance
    /// <c>/_files/</c>.
    /// </param>
    /// <remarks>
    /// Only with nginx in front: a web server that does not know the header passes it on with an empty body.
    /// </remarks>
    /// <exception cref="ArgumentException">
    /// The directory is not absolute, or the prefix is not that of a location.
    /// </exception>
    public void AddXAccelRedirect(string directory, string uriPrefix) =>
        Add(HandoverFolder.ByUri(directory, uriPrefix));

    /// <summary>
    /// Adds a directory for Apache (mod_xsendfile) or lighttpd, which take the path of a file in <c>X-Sendfile</c>.
    /// </summary>
    /// <param name="directory">An absolute path, the same for the web server.</param>
    /// <remarks>
    /// Only with a web server in front that knows the header and may send the files of the directory
    /// (<c>XSendFilePath</c>, <c>x-sendfile-docroot</c>): another one passes the header on with an empty body.
    /// </remarks>
    /// <exception cref="ArgumentException">The directory is not absolute.</exception>
    public void AddXSendfile(string directory) => Add(HandoverFolder.ByPath(directory));

    /// <summary>Removes all directories and all <see cref="RelayedHeaders"/>: this server sends its files.</summary>
    public void Clear()
    {
        _folders.Clear();
        RelayedHeaders.Clear();
    }

    private void Add(HandoverFolder folder)
    {
        _folders.RemoveAll(other => other.Directory == folder.Directory);
        _folders.Add(folder);
    }
}
