using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Cgi;

internal sealed partial class CgiRequest
{
    private readonly PathString _fixedBase;
    private string? _splitPath;
    private string? _originalPath;
    private string? _baseText;

    /// <summary>The part of the path that is the base, in the request's own spelling; or empty.</summary>
    public string PathBase { get; private set; } = "";

    /// <summary>The path behind the base; the whole path when it does not begin with the base.</summary>
    public string Path { get; private set; } = "";

    /// <summary>
    /// Splits a path at its base, by whole segments and in any case, as UsePathBase does. What the application says
    /// comes first, then the web server's administrator.
    /// </summary>
    /// <param name="path">The decoded path.</param>
    /// <param name="originalPath">The client's, where nginx has rewritten it and may have removed the base.</param>
    private void SplitPath(string path, string? originalPath)
    {
        if (_fixedBase.HasValue)
        {
            SplitPath(path, originalPath, _fixedBase.Value);
            return;
        }

        var text = Params.GetString(KnownParam.PathBase);
        if (text is null && _options.PathBaseFromScriptName)
        {
            text = Params.GetString(KnownParam.ScriptName);
        }

        SplitPath(path, originalPath, text);
    }

    private void SplitPath(string path, string? originalPath, string? baseText)
    {
        if (baseText is null)
        {
            (_splitPath, _baseText) = (null, null);
            (PathBase, Path) = ("", path);
            return;
        }

        // Both strings stay the same objects while the bytes stay the same.
        if (ReferenceEquals(path, _splitPath) && ReferenceEquals(originalPath, _originalPath)
            && ReferenceEquals(baseText, _baseText))
        {
            return;
        }

        (_splitPath, _originalPath, _baseText) = (path, originalPath, baseText);
        var pathBase = ReferenceEquals(baseText, _fixedBase.Value) ? _fixedBase : NormaliseBase(baseText);
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

    private static PathString NormaliseBase(string? text)
    {
        text = text?.TrimEnd('/');
        if (string.IsNullOrEmpty(text))
        {
            return PathString.Empty;
        }

        return new PathString(text.StartsWith('/') ? text : "/" + text);
    }
}
