namespace FastCgi.Client.Php;

/// <summary>
/// Finds the script in a path without checking files, because PHP may run on another machine. All comparisons are of
/// bytes: neither case nor Unicode folding decides where a path is cut, so the cut cannot move.
/// </summary>
internal sealed class ScriptLocator
{
    private readonly byte[][] _extensions;
    private readonly byte[] _index;

    public ScriptLocator(string documentRoot, byte[][] extensions, string index)
    {
        DocumentRoot = Encoding.UTF8.GetBytes(documentRoot.Length > 1 ? documentRoot.TrimEnd('/') : documentRoot);
        _extensions = extensions;
        _index = Encoding.UTF8.GetBytes(index.TrimStart('/'));
    }

    /// <summary>The document root, without a slash at the end.</summary>
    public byte[] DocumentRoot { get; }

    /// <summary>Finds the script for a decoded path that <see cref="ScriptPath.TryNormalize"/> has accepted.</summary>
    public Script Locate(ReadOnlySpan<byte> path)
    {
        if (_extensions.Length == 0)
        {
            return new Script(path.ToArray(), []);
        }

        if (EndOfScript(path, _extensions) is > 0 and var end)
        {
            return new Script(path[..end].ToArray(), path[end..].ToArray());
        }

        // A directory has its own index. All other paths are for the front controller.
        return path is [.., (byte)'/']
            ? new Script([.. path, .. _index], [])
            : new Script([(byte)'/', .. _index], []);
    }

    /// <summary>The end of the first segment with such an extension and more than it; 0 if there is none.</summary>
    public static int EndOfScript(ReadOnlySpan<byte> path, byte[][] extensions)
    {
        int start = 0;
        while (start < path.Length)
        {
            int slash = path[(start + 1)..].IndexOf((byte)'/');
            int end = slash < 0 ? path.Length : start + 1 + slash;
            ReadOnlySpan<byte> segment = path[(start + 1)..end];
            foreach (byte[] extension in extensions)
            {
                if (segment.Length > extension.Length && segment.EndsWith(extension))
                {
                    return end;
                }
            }

            start = end;
        }

        return 0;
    }
}
