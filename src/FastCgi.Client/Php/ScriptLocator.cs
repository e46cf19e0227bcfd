namespace FastCgi.Client.Php;

/// <summary>
/// Finds the script that a path names, without a look at files: PHP may run on another machine. All comparisons are of
/// bytes. No letter case and no Unicode folding decides where a path is cut, so the cut cannot move.
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

    /// <summary>Without a slash at the end.</summary>
    public byte[] DocumentRoot { get; }

    /// <summary>The script for a decoded path that <see cref="ScriptPath.TryNormalize"/> has passed.</summary>
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

        // A directory has its own index; every other path is the matter of the front controller.
        return path is [.., (byte)'/']
            ? new Script([.. path, .. _index], [])
            : new Script([(byte)'/', .. _index], []);
    }

    /// <summary>The end of the first segment that ends like a script and is more than the extension; 0: none.</summary>
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
