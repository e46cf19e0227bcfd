using System.Diagnostics.CodeAnalysis;
using FastCgi.AspNetCore.Requests;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// The requests of one connection by their ids, which are arbitrary 16-bit numbers. One slot serves every web server
/// but a multiplexing one; the dictionary is made for that. Guarded by the connection's gate.
/// </summary>
internal sealed class RequestTable
{
    private FastCgiRequest? _single;
    private Dictionary<ushort, FastCgiRequest>? _others;

    public int Count => (_single is null ? 0 : 1) + (_others?.Count ?? 0);

    public bool TryGet(ushort id, [NotNullWhen(true)] out FastCgiRequest? request)
    {
        request = _single;
        if (request is not null && request.RequestId == id)
        {
            return true;
        }

        request = null;
        return _others is not null && _others.TryGetValue(id, out request);
    }

    public void Add(FastCgiRequest request)
    {
        if (_single is null)
        {
            _single = request;
        }
        else
        {
            (_others ??= []).Add(request.RequestId, request);
        }
    }

    /// <summary>False when the id is free, or serves another request by now.</summary>
    public bool Remove(FastCgiRequest request)
    {
        if (_single == request)
        {
            _single = null;
            return true;
        }

        return _others is not null
            && _others.TryGetValue(request.RequestId, out FastCgiRequest? found)
            && found == request
            && _others.Remove(request.RequestId);
    }

    public bool Contains(FastCgiRequest request) =>
        TryGet(request.RequestId, out FastCgiRequest? found) && found == request;

    public FastCgiRequest[] ToArray()
    {
        var all = new List<FastCgiRequest>(Count);
        if (_single is not null)
        {
            all.Add(_single);
        }

        if (_others is not null)
        {
            all.AddRange(_others.Values);
        }

        return [.. all];
    }
}
