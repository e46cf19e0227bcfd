using FastCgi.AspNetCore.Files;

namespace FastCgi.AspNetCore;

// Files that the web server sends.
public sealed partial class FastCgiServerOptions
{
    private readonly List<HandoverFolder> _handoverFolders = [];

    internal HandoverFolders HandoverFolders => new(_handoverFolders);

    /// <summary>
    /// Lets nginx send the files of a directory: if a response to GET or HEAD is one of them, the server answers with
    /// <c>X-Accel-Redirect</c> in place of the body, and the request is over. Default: no directory.
    /// </summary>
    /// <param name="directory">
    /// An absolute path. It need not exist yet. Files of its subdirectories belong to it too, unless a call for one of
    /// those has been made; links that lead out of it do not.
    /// </param>
    /// <param name="uriPrefix">
    /// The prefix of the nginx location that is <c>internal</c> and whose <c>alias</c> is the directory, for instance
    /// <c>/_files/</c>.
    /// </param>
    /// <remarks>
    /// May be called for several directories; a second call for the same one takes the place of the first. Only with
    /// nginx in front: any other web server would pass the header and an empty body on.
    /// </remarks>
    /// <exception cref="ArgumentException">The directory is not absolute, or the prefix is none.</exception>
    public void SendFilesByXAccelRedirect(string directory, string uriPrefix) =>
        Add(HandoverFolder.ByUri(directory, uriPrefix));

    /// <summary>
    /// Lets Apache (mod_xsendfile) or lighttpd send the files of a directory: where a response to GET or HEAD is one of
    /// them, the server answers with <c>X-Sendfile</c> in place of the body, and the request is over. Default: no
    /// directory.
    /// </summary>
    /// <param name="directory">
    /// An absolute path, the same for the web server. It need not exist yet. Files of its subdirectories belong to it
    /// too, unless a call for one of those has been made; links that lead out of it do not.
    /// </param>
    /// <remarks>
    /// May be called for several directories; a second call for the same one takes the place of the first. Only with a
    /// web server in front that knows the header and is allowed to send the directory's files (<c>XSendFilePath</c>,
    /// <c>x-sendfile-docroot</c>): any other would pass the header and an empty body on.
    /// </remarks>
    /// <exception cref="ArgumentException">The directory is not absolute.</exception>
    public void SendFilesByXSendfile(string directory) => Add(HandoverFolder.ByPath(directory));

    private void Add(HandoverFolder folder)
    {
        _handoverFolders.RemoveAll(other => other.Directory == folder.Directory);
        _handoverFolders.Add(folder);
    }
}
