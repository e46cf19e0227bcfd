using System.Runtime.InteropServices;
using FastCgi.FuzzTests.Conversations;

namespace FastCgi.FuzzTests.Model;

/// <summary>Where the model believes a request to stand.</summary>
public enum Stage
{
    Params,
    Body,

    /// <summary>All of it is sent. Whether it is answered already, only a wait can tell.</summary>
    Complete,

    /// <summary>The id is free.</summary>
    Ended,
}

/// <summary>What one BEGIN_REQUEST began.</summary>
public sealed class ModelRequest(int id, bool keep, bool certain)
{
    private readonly List<byte> _params = [];
    private readonly List<byte> _body = [];

    public int Id { get; } = id;

    public bool Keep { get; } = keep;

    public Stage Stage { get; set; }

    /// <summary>There will be exactly one END_REQUEST for it, as long as the peer stays to read it.</summary>
    public bool IsCertain { get; set; } = certain;

    /// <summary>END_REQUEST has been waited for, so nothing that follows can take it back.</summary>
    public bool IsConfirmed { get; set; }

    public bool IsAborted { get; set; }

    /// <summary>It has no body, whatever is sent as one (FastCGI 1.0, section 6.3).</summary>
    public bool IsAuthorizer { get; set; }

    /// <summary>No application sees it: nobody serves its role.</summary>
    public bool IsRefused { get; set; }

    /// <summary>Null when its params are not those of any script.</summary>
    public Script? Script { get; private set; }

    /// <summary>The params ask for an echo, whosever they are.</summary>
    public bool MayEcho => CollectionsMarshal.AsSpan(_params).IndexOf("/Echo?"u8) >= 0;

    public bool BodyEnded { get; set; }

    public ReadOnlySpan<byte> Body => CollectionsMarshal.AsSpan(_body);

    /// <summary>Every declared byte has come, but not the record that says so: it may be answered already.</summary>
    public bool IsWhole => Script is { DeclaresLength: true } script && _body.Count >= script.Body.Length;

    /// <summary>The end of the stream came before the declared length.</summary>
    public bool IsShort => BodyEnded && Script is { DeclaresLength: true } script && _body.Count < script.Body.Length;

    /// <summary>Has to be answered by the application, with exactly what the script says.</summary>
    public bool MustBeServed => IsCertain && !IsAborted && !IsRefused && !IsShort;

    /// <summary>False when what has come so far cannot become the params of any script.</summary>
    public bool AppendParams(ReadOnlySpan<byte> content, IReadOnlyList<Script> scripts)
    {
        _params.AddRange(content);
        var sofar = _params.ToArray();
        return scripts.Any(script => script.Params.AsSpan().StartsWith(sofar));
    }

    public void EndParams(IReadOnlyList<Script> scripts)
    {
        var all = _params.ToArray();
        Script = scripts.FirstOrDefault(script => script.Params.AsSpan().SequenceEqual(all));
    }

    /// <summary>Bytes beyond the declared length are not the body's.</summary>
    public void AppendBody(ReadOnlySpan<byte> content)
    {
        if (IsAuthorizer)
        {
            return;
        }

        var room = Script is { DeclaresLength: true } script ? script.Body.Length - _body.Count : int.MaxValue;
        _body.AddRange(content[..Math.Min(room, content.Length)]);
    }
}
