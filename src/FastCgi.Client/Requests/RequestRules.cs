using System.Collections.Frozen;
using FastCgi.Client.Php;

namespace FastCgi.Client.Requests;

/// <summary>The rules for all requests of a handler.</summary>
/// <remarks>
/// Without <c>Scripts</c> no target is a script, and targets that end with one of <c>ScriptExtensions</c> fail.
/// <c>Parameters</c> override those of the request itself.
/// </remarks>
internal sealed record RequestRules(
    bool IsScgi,
    bool KeepConnection,
    ScriptLocator? Scripts,
    byte[][] ScriptExtensions,
    FrozenDictionary<string, string?> Parameters,
    bool AllowAmbiguousHeaderNames,
    bool AllowProxyHeader,
    FastCgiUnknownLengthBody UnknownLengthBody)
{
    /// <summary>True if the application reads no more of a body than CONTENT_LENGTH declares.</summary>
    public bool BuffersUnknownLength => IsScgi || UnknownLengthBody switch
    {
        FastCgiUnknownLengthBody.Buffer => true,
        FastCgiUnknownLengthBody.Stream => false,
        _ => Scripts is not null,
    };
}
