using FastCgi.AspNetCore.Cgi;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Requests;

/// <summary>What arrives before the application begins.</summary>
internal sealed partial class FastCgiRequest
{
    private byte[]? _params;
    private int _paramsLength;
    private NameValuePairScanner _scanner;
    private CgiRejection? _rejection;

    /// <summary>The application never sees this request; <see cref="EndRejected"/> answers it.</summary>
    public bool IsRejected => _rejection is not null;

    public long? ContentLength => _cgi.ContentLength;

    public bool IsFromNginx => _cgi.IsFromNginx;

    /// <summary>True when it is certain that no body comes, or that one does; else the first STDIN record tells.</summary>
    public bool IsBodyKnown => _rejection is not null || Slot.Role != FastCgiRole.Responder
        || ContentLength is not null || Body.HasBegun;

    /// <summary>
    /// Takes the next piece of PARAMS. False when it breaks a limit: the declared sizes are judged before anything is
    /// kept, and the request is now a rejected one.
    /// </summary>
    public bool TryAppendParams(ReadOnlySpan<byte> content)
    {
        if (!_scanner.TryScan(content))
        {
            Reject(CgiRejection.ParamsTooLarge);
            return false;
        }

        if (_params is null || _params.Length - _paramsLength < content.Length)
        {
            GrowParams(_paramsLength + content.Length);
        }

        content.CopyTo(_params.AsSpan(_paramsLength));
        _paramsLength += content.Length;
        return true;
    }

    /// <summary>The empty PARAMS record: the params are whole, and the request is ready or rejected.</summary>
    public void CompleteParams()
    {
        if (!_scanner.IsBetweenPairs)
        {
            Reject(CgiRejection.TruncatedParams);
            return;
        }

        _cgi.Params.SetBuffer(_params ?? []);
        var pairs = new NameValuePairReader(_params.AsSpan(0, _paramsLength));
        while (pairs.TryRead(out NameValuePair pair))
        {
            Add(pair);
        }

        LoadParams();
    }

    /// <summary>The application is about to begin; from now on it may read the body at any moment.</summary>
    public void Open()
    {
        if (_rejection is null)
        {
            PrepareForUpgrade();
            Body.Open();
            Features.Begin(this, _cgi, _server.Limits.MaxRequestBodySize, _server.Options.AllowSynchronousIO);
            FailCutBody();
            _writer.Begin();
            StartFromRequest();
            WarnOfHostWithoutPort();
            WarnOfForwardingHeader();
        }
    }

    public void Reject(CgiRejection rejection) => _rejection ??= rejection;

    private void Add(NameValuePair pair) =>
        _cgi.Params.Add(pair.NameOffset, pair.NameLength, pair.ValueOffset, pair.ValueLength);

    private void LoadParams()
    {
        if (_cgi.Load() is { } rejection)
        {
            Reject(rejection);
            return;
        }

        // An authorizer gets no body (FastCGI 1.0, section 6.3), whatever length it is told, and often no end of one.
        Body.Declare(Slot.Role == FastCgiRole.Authorizer ? 0 : _cgi.ContentLength);
    }

    private void GrowParams(int needed)
    {
        byte[] larger = _server.Buffers.Rent(Math.Max(needed, 2048));
        if (_params is not null)
        {
            _params.AsSpan(0, _paramsLength).CopyTo(larger);
            _server.Buffers.Return(_params);
        }

        _params = larger;
    }

    private void ResetParams()
    {
        _cgi.Reset();
        if (_params is not null)
        {
            _server.Buffers.Return(_params);
            _params = null;
        }

        _paramsLength = 0;
        _rejection = null;
        HasCutBody = false;
    }
}
