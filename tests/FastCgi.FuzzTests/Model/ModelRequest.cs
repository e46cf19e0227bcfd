namespace FastCgi.FuzzTests.Model;

/// <summary>Where the model believes a request to stand.</summary>
internal enum Stage
{
    Params,
    Body,

    /// <summary>All of it is sent. Whether it is answered already, only a wait can tell.</summary>
    Complete,

    /// <summary>The id is free.</summary>
    Ended,
}

/// <summary>What one BEGIN_REQUEST began, or the head of SCGI.</summary>
internal sealed class ModelRequest(int id, bool keep, bool certain)
{
    private Script? _like;
    private int _likeLength;
    private ByteWriter? _strayParams;
    private ByteWriter? _ownBody;
    private int _bodyLength;

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
    public Script? Script { get; set; }

    /// <summary>Params that nobody generated.</summary>
    public bool IsStray => Script is null && !IsRefused;

    /// <summary>The response is this error, with a head of the server's own.</summary>
    public int? ErrorStatus { get; set; }

    public bool BodyEnded { get; set; }

    /// <summary>Its answer has come.</summary>
    public bool IsAnswered { get; set; }

    public ReadOnlySpan<byte> Body => _ownBody is null
        ? Script is null ? [] : Noise.RequestBody(Script.Nonce, _bodyLength).Span
        : _ownBody.Written;

    /// <summary>Every declared byte has come, but not the record that says so: it may be answered already.</summary>
    public bool IsWhole => Script is { DeclaresLength: true } script && _bodyLength >= script.BodyLength;

    /// <summary>The end of the stream came before the declared length.</summary>
    public bool IsShort => BodyEnded && Script is { DeclaresLength: true } script && _bodyLength < script.BodyLength;

    /// <summary>Has to be answered by the application, with exactly what the script says.</summary>
    public bool MustBeServed => IsCertain && !IsAborted && !IsRefused && !IsShort && ErrorStatus is null;

    /// <summary>Every byte of the answer, where all goes well.</summary>
    public int AnswerLength => Script!.IsHead ? 0 : Echoed.Length + Script.Filler;

    private ReadOnlySpan<byte> Echoed => Script!.Reads == Reading.Echo ? Body : [];

    /// <summary>False when what has come so far cannot become the params of any script.</summary>
    public bool AppendParams(ReadOnlySpan<byte> content, List<Script> scripts)
    {
        if (_strayParams is null && Goes(_like, content, scripts) is { } like)
        {
            _like = like;
            _likeLength += content.Length;
            return true;
        }

        if (_strayParams is null)
        {
            _strayParams = new ByteWriter();
            _strayParams.Add(_like is null ? [] : _like.Params.AsSpan(0, _likeLength));
        }

        _strayParams.Add(content);
        return false;
    }

    public void EndParams() =>
        Script = _strayParams is null && _like?.Params.Length == _likeLength ? _like : null;

    /// <summary>The params name the script, whatever else they say.</summary>
    public bool MayBe(Script script) =>
        (_strayParams is null ? _like is null ? [] : _like.Params.AsSpan(0, _likeLength) : _strayParams.Written)
            .IndexOf(System.Text.Encoding.ASCII.GetBytes(script.Token)) >= 0;

    /// <summary>Bytes beyond the declared length are not the body's.</summary>
    public void AppendBody(ReadOnlySpan<byte> content)
    {
        if (IsAuthorizer || Script is null)
        {
            return;
        }

        content = Script.DeclaresLength
            ? content[..Math.Min(Script.BodyLength - _bodyLength, content.Length)]
            : content;
        if (_ownBody is null && (_bodyLength + content.Length > Script.BodyLength
            || !content.SequenceEqual(Script.Body.Slice(_bodyLength, content.Length))))
        {
            var own = new ByteWriter();
            own.Add(Body);
            _ownBody = own;
        }

        _ownBody?.Add(content);
        _bodyLength += content.Length;
    }

    /// <summary>Whether the answer of its application begins with these bytes.</summary>
    public bool IsOfAnswer(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length > AnswerLength)
        {
            return false;
        }

        var count = Math.Min(bytes.Length, Echoed.Length);
        return bytes[..count].SequenceEqual(Echoed[..count])
            && bytes[count..].SequenceEqual(Script!.Answer.Span[..(bytes.Length - count)]);
    }

    private Script? Goes(Script? like, ReadOnlySpan<byte> content, List<Script> scripts)
    {
        if (like is not null && like.Params.AsSpan(_likeLength).StartsWith(content))
        {
            return like;
        }

        var sofar = like is null ? [] : like.Params.AsSpan(0, _likeLength);
        foreach (var script in scripts)
        {
            if (script.Params.AsSpan().StartsWith(sofar) && script.Params.AsSpan(_likeLength).StartsWith(content))
            {
                return script;
            }
        }

        return null;
    }
}
