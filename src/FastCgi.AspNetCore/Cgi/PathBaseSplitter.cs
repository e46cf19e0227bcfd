using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>Splits a path at its base, by whole segments and in any case, as UsePathBase does.</summary>
internal sealed class PathBaseSplitter(FastCgiServerOptions options)
{
    private readonly PathString _fixedBase = Normalise(options.PathBase.Value);
    private string? _path;
    private string? _originalPath;
    private string? _baseText;

    /// <summary>The part of the path that is the base, in the request's own spelling; or empty.</summary>
    public string PathBase { get; private set; } = "";

    /// <summary>The path behind the base; the whole path when it does not begin with the base.</summary>
    public string Path { get; private set; } = "";

    /// <summary>Splits a path. What the application says comes first, then the web server's administrator.</summary>
    /// <param name="path">The decoded path.</param>
    /// <param name="originalPath">The client's, where nginx has rewritten it and may have removed the base.</param>
    /// <param name="params">May name the base.</param>
    public void Split(string path, string? originalPath, CgiParams @params)
    {
        if (_fixedBase.HasValue)
        {
            Split(path, originalPath, _fixedBase.Value);
            return;
        }

        var text = @params.GetString(KnownParam.PathBase);
        if (text is null && options.PathBaseFromScriptName)
        {
            text = @params.GetString(KnownParam.ScriptName);
        }

        Split(path, originalPath, text);
    }

    private void Split(string path, string? originalPath, string? baseText)
    {
        if (baseText is null)
        {
            (_path, _baseText) = (null, null);
            (PathBase, Path) = ("", path);
            return;
        }

        // Both strings stay the same objects while the bytes stay the same.
        if (ReferenceEquals(path, _path) && ReferenceEquals(originalPath, _originalPath)
            && ReferenceEquals(baseText, _baseText))
        {
            return;
        }

        (_path, _originalPath, _baseText) = (path, originalPath, baseText);
        var pathBase = ReferenceEquals(baseText, _fixedBase.Value) ? _fixedBase : Normalise(baseText);
        if (pathBase.HasValue && path.Length > 0
            && new PathString(path).StartsWithSegments(pathBase, out var matched, out var remaining))
        {
            (PathBase, Path) = (matched.Value ?? "", remaining.Value ?? "");
        }
        else if (pathBase.HasValue && originalPath is { Length: > 0 }
            && new PathString(originalPath).StartsWithSegments(pathBase, out matched, out _))
        {
            (PathBase, Path) = (matched.Value ?? "", path);
        }
        else
        {
            (PathBase, Path) = ("", path);
        }
    }

    private static PathString Normalise(string? text)
    {
        text = text?.TrimEnd('/');
        if (string.IsNullOrEmpty(text))
        {
            return PathString.Empty;
        }

        return new PathString(text.StartsWith('/') ? text : "/" + text);
    }
}
