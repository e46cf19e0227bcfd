using Microsoft.Extensions.FileProviders;
using Microsoft.Extensions.FileProviders.Physical;
using Microsoft.Extensions.Primitives;

namespace FastCgi.Gateway.Documents;

/// <summary>
/// The files of a directory. A symbolic link has the length and the time of the file that it leads to; the framework's
/// own provider gives those of the link, so that the response breaks off.
/// </summary>
internal sealed class LinkedFileProvider(string root) : IFileProvider, IDisposable
{
    private readonly PhysicalFileProvider _files = new(root);

    public IFileInfo GetFileInfo(string subpath)
    {
        IFileInfo info = _files.GetFileInfo(subpath);
        return info is { Exists: true, PhysicalPath: { } path }
            && new FileInfo(path) is { LinkTarget: not null } link
            && link.ResolveLinkTarget(returnFinalTarget: true) is FileInfo target
                ? new PhysicalFileInfo(target)
                : info;
    }

    public IDirectoryContents GetDirectoryContents(string subpath) => _files.GetDirectoryContents(subpath);

    public IChangeToken Watch(string filter) => _files.Watch(filter);

    public void Dispose() => _files.Dispose();
}
