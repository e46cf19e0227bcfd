using FastCgi.AspNetCore.Cgi;
using FastCgi.Protocol;
using FastCgi.Protocol.Scgi;
using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Requests;

/// <summary>What arrives before the application begins, on an SCGI connection: the params in a head.</summary>
internal sealed partial class FastCgiRequest
{
    /// <summary>
    /// nginx with scgi_request_buffering off tells how much of the body it had at that moment, not how long it is: where
    /// the body ends nobody knows.
    /// </summary>
    public bool HasCutBody { get; private set; }

    /// <summary>
    /// The declared length of the head. False when it breaks a limit: it is judged before anything is kept, and the
    /// request is now a rejected one.
    /// </summary>
    public bool TryBeginHead(int length)
    {
        if (length > _server.Limits.MaxRequestParamsTotalSize)
        {
            Reject(CgiRejection.ParamsTooLarge);
            return false;
        }

        GrowParams(length);
        return true;
    }

    /// <summary>Takes the next piece of the head, which is never more than was declared.</summary>
    public void AppendHead(ReadOnlySpan<byte> content)
    {
        content.CopyTo(_params.AsSpan(_paramsLength));
        _paramsLength += content.Length;
    }

    /// <summary>The head is whole, and the request is ready or rejected.</summary>
    public void CompleteHead()
    {
        _cgi.Params.SetBuffer(_params ?? []);
        var headers = new ScgiHeaderReader(_params.AsSpan(0, _paramsLength));
        int count = 0;
        while (headers.TryRead(out NameValuePair header))
        {
            if (++count > _server.MaxParams)
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

        LoadParams();
        if (!IsRejected && ContentLength is null)
        {
            Reject(CgiRejection.MissingContentLength);
        }

        HasCutBody = !IsRejected && _cgi.HasLongerBodyAnnounced;
    }

    /// <summary>
    /// Whoever reads such a body is told. An authorization by a request of its own has no body, and reads none, though the
    /// client announced one: it is served.
    /// </summary>
    private void FailCutBody()
    {
        if (HasCutBody)
        {
            WarnOfCutBody();
            Body.Refuse(new BadHttpRequestException(
                "The web server passes the request body on in part: it needs 'scgi_request_buffering on;' (nginx).",
                StatusCodes.Status500InternalServerError));
        }
    }
}
