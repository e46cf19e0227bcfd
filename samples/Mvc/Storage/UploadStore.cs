namespace MvcSample.Storage;

/// <summary>Uploaded files, kept under their safe names in one flat directory.</summary>
public sealed class UploadStore(DataDirectory data)
{
    /// <summary>The largest file taken, in bytes.</summary>
    public const long MaxFileSize = 100 * 1024 * 1024;

    // Names of finished files never begin with a dot (see UploadName), so a half-written one is never listed.
    private const string Unfinished = ".unfinished-";

    public IReadOnlyList<FileInfo> List()
        => [.. data.Uploads.EnumerateFiles()
            .Where(file => !file.Name.StartsWith(Unfinished, StringComparison.Ordinal))
            .OrderBy(file => file.Name, StringComparer.OrdinalIgnoreCase)];

    /// <returns>The file of that name; null when there is none.</returns>
    public FileInfo? Find(string name)
    {
        if (!UploadName.IsSafe(name))
        {
            return null;
        }

        var file = new FileInfo(Path.Combine(data.Uploads.FullName, name));
        return file.Exists ? file : null;
    }

    /// <summary>Writes the file beside the others and gives it its name when it is whole.</summary>
    /// <returns>The name it got: safe, and different from that of every file already there.</returns>
    public async Task<string> SaveAsync(IFormFile upload, CancellationToken cancellationToken)
    {
        var unfinished = Path.Combine(data.Uploads.FullName, Unfinished + Guid.NewGuid().ToString("N"));
        try
        {
            await using (var file = File.Create(unfinished, bufferSize: 1, FileOptions.Asynchronous))
            {
                await upload.CopyToAsync(file, cancellationToken);
            }

            return MoveToFreeName(unfinished, UploadName.MakeSafe(upload.FileName));
        }
        finally
        {
            File.Delete(unfinished);
        }
    }

    private string MoveToFreeName(string unfinished, string wanted)
    {
        for (var number = 1; ; number++)
        {
            var name = number == 1 ? wanted : UploadName.Numbered(wanted, number);
            var path = Path.Combine(data.Uploads.FullName, name);
            try
            {
                File.Move(unfinished, path, overwrite: false);
                return name;
            }
            catch (IOException) when (File.Exists(path))
            {
                // Taken, perhaps a moment ago by another request: the next number.
            }
        }
    }
}
