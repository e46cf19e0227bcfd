using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Server;
using FastCgi.Protocol;
using FastCgi.Protocol.Scgi;

namespace FastCgi.AspNetCore.Requests;

/// <summary>
/// The params of one request, from PARAMS records or an SCGI head. Every declared size is checked before any of it is
/// stored. Written under the connection's gate until the application begins, and only read after that. Pooled.
/// </summary>
internal sealed class RequestHead(ServerContext server)
{
    private const int SmallestBuffer = 2048;

    private byte[]? _params;
    private int _length;
    private NameValuePairScanner _scanner;

    /// <summary>The HTTP meaning of the params, once they are complete.</summary>
    public CgiRequest Cgi { get; } = new(server.Options);

    /// <summary>The reason why the application never sees this request, or null.</summary>
    public CgiRejection? Rejection { get; private set; }

    /// <summary>The server's own page that the request asks for, or null.</summary>
    public Func<string, ServerAnswer>? Page { get; private set; }

    /// <summary>
    /// True if the end of the body is unknown. With scgi_request_buffering off, nginx declares the part of the body
    /// that it had received at that moment, not the whole length.
    /// </summary>
    public bool HasCutBody { get; private set; }

    private bool IsScgi => Cgi.HasMandatoryLength;

    public void Begin() => _scanner = server.NewScanner();

    /// <summary>Adds a piece of PARAMS. False if it exceeds a limit: the request is rejected.</summary>
    /// <param name="content">The piece. That of an SCGI head is never longer than declared.</param>
    public bool TryAppendParams(ReadOnlySpan<byte> content)
    {
        if (!IsScgi && !_scanner.TryScan(content))
        {
            Reject(CgiRejection.ParamsTooLarge);
            return false;
        }

        // 6. Append: PARAMS are kept as bytes.
        if (_params is null || _params.Length - _length < content.Length)
        {
            Grow(_length + content.Length);
        }

        content.CopyTo(_params.AsSpan(_length));
        _length += content.Length;
        return true;
    }

    /// <summary>Called at the end of PARAMS or of an SCGI head: completes the params, or rejects the request.</summary>
    public void CompleteParams()
    {
        if (IsScgi)
        {
            CompleteScgi();
            return;
        }

        if (!_scanner.IsBetweenPairs)
        {
            Reject(CgiRejection.TruncatedParams);
            return;
        }

        // 7. Load: the params are indexed; method, target and length are checked.
        Cgi.Params.SetBuffer(_params ?? []);
        var pairs = new NameValuePairReader(_params.AsSpan(0, _length));
        while (pairs.TryRead(out NameValuePair pair))
        {
            Add(pair);
        }

        Load();
    }

    /// <summary>Takes the declared length of an SCGI head. False if it exceeds a limit: rejected.</summary>
    public bool TryBeginScgi(int length)
    {
        Cgi.HasMandatoryLength = true;
        if (length > server.Limits.MaxRequestParametersTotalSize)
        {
            Reject(CgiRejection.ParamsTooLarge);
            return false;
        }

        Grow(length);
        return true;
    }

    /// <summary>Finds the server's own page. Beyond MaxConcurrentRequests, the server answers nothing else.</summary>
    public void JudgePage(FastCgiRole role, RequestAdmission admission)
    {
        if (Rejection is null && role == FastCgiRole.Responder)
        {
            Page = server.Pages!.Find(Cgi);
        }

        if (Page is null && admission == RequestAdmission.PagesOnly)
        {
            server.CountRejectedRequest();
            Reject(CgiRejection.Overloaded);
        }
    }

    /// <summary>Asks the application about header values that are not UTF-8. False if rejected.</summary>
    public bool TryCheckEncodings(IRequestConnection connection)
    {
        try
        {
            if (Cgi.CheckEncodings() is { } rejection)
            {
                Reject(rejection);
            }
        }
        catch (Exception exception)
        {
            string id = TraceIdentifiers.Create(connection.Id);
            RequestLog.ApplicationError(server.RequestLog, exception, connection.Id, id);
            Reject(CgiRejection.EncodingSelectorFailed);
        }

        return Rejection is null;
    }

    /// <summary>Rejects the request, so that the application never sees it. The first reason counts.</summary>
    public void Reject(CgiRejection rejection) => Rejection ??= rejection;

    /// <summary>Clears the request that ended. Keeps decoded strings for the next one.</summary>
    public void Reset()
    {
        Cgi.Reset();
        Release();
        _length = 0;
        Rejection = null;
        Page = null;
        HasCutBody = false;
    }

    private void CompleteScgi()
    {
        Cgi.Params.SetBuffer(_params ?? []);
        var headers = new ScgiHeaderReader(_params.AsSpan(0, _length));
        int count = 0;
        while (headers.TryRead(out NameValuePair header))
        {
            if (++count > server.Limits.MaxRequestParameterCount)
            {
                Reject(CgiRejection.ParamsTooLarge);
                return;
            }

            Add(header);
        }

        if (headers.IsTruncated)
        {
            Reject(CgiRejection.TruncatedParams);
            return;
        }

        Load();
        if (Rejection is null && Cgi.ContentLength is null)
        {
            Reject(CgiRejection.MissingContentLength);
        }

        HasCutBody = Rejection is null && Cgi.HasLongerBodyAnnounced;
    }

    private void Add(NameValuePair pair) =>
        Cgi.Params.Add(pair.NameOffset, pair.NameLength, pair.ValueOffset, pair.ValueLength);

    private void Load()
    {
        Cgi.Limits = server.Limits;
        if (Cgi.Load() is { } rejection)
        {
            Reject(rejection);
        }
    }

    /// <summary>Doubles the buffer, so that there are few copies, but not beyond the limit for params.</summary>
    private void Grow(int needed)
    {
        int doubled = (int)Math.Min(2L * (_params?.Length ?? 0), server.Limits.MaxRequestParametersTotalSize);
        byte[] larger = server.Buffers.Rent(Math.Max(needed, Math.Max(doubled, SmallestBuffer)));
        _params.AsSpan(0, _length).CopyTo(larger);
        Release();
        _params = larger;
    }

    private void Release()
    {
        if (_params is not null)
        {
            server.Buffers.Return(_params);
            _params = null;
        }
    }
}
