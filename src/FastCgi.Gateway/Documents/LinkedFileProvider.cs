using Microsoft.Extensions.FileProviders;
using Microsoft.Extensions.Primitives;
using Microsoft.Win32.SafeHandles;

namespace FastCgi.Gateway.Documents;

/// <summary>
/// The files of a directory. For a symbolic link, asks the kernel for the length and time of the target. The framework
/// returns those of the link, or joins its target to a path whose own links it has not followed.
/// </summary>
/// <remarks>
/// A link to a file that the process may not read throws <see cref="UnauthorizedAccessException"/>, as the framework
/// does when it opens any other such file. The gateway answers 403.
/// </remarks>
internal sealed class LinkedFileProvider(string root) : IFileProvider, IDisposable
{
    private readonly PhysicalFileProvider _files = new(root);

    public IFileInfo GetFileInfo(string subpath)
    {
        IFileInfo info = _files.GetFileInfo(subpath);
        if (info is not { Exists: true, PhysicalPath: { } path } || new FileInfo(path).LinkTarget is null)
        {
            return info;
        }

        try
        {
            return new LinkedFile(path);
        }
        catch (IOException)
        {
            return new NotFoundFileInfo(info.Name);
        }
    }

    public IDirectoryContents GetDirectoryContents(string subpath) => _files.GetDirectoryContents(subpath);

    public IChangeToken Watch(string filter) => _files.Watch(filter);

    public void Dispose() => _files.Dispose();

    /// <summary>Has no physical path, because the framework would take the length of the link from it.</summary>
    private sealed class LinkedFile : IFileInfo
    {
        private readonly string _path;

        public LinkedFile(string path)
        {
            _path = path;
            using SafeFileHandle file = File.OpenHandle(path, share: FileShare.ReadWrite | FileShare.Delete);
            Length = RandomAccess.GetLength(file);
            LastModified = File.GetLastWriteTimeUtc(file);
        }

        public bool Exists => true;

        public bool IsDirectory => false;

        public DateTimeOffset LastModified { get; }

        public long Length { get; }

        public string Name => Path.GetFileName(_path);

        public string? PhysicalPath => null;

        public Stream CreateReadStream() => new FileStream(
            _path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, 1, useAsync: true);
    }
}
