using System.Diagnostics.CodeAnalysis;
using FastCgi.AspNetCore.Requests;

namespace FastCgi.AspNetCore.Connections;

/// <summary>
/// The requests of one connection by their ids, which are arbitrary 16-bit numbers. One request serves every web server
/// but a multiplexing one; the dictionary is made for that. Guarded by the connection's gate.
/// </summary>
internal sealed class RequestTable
{
    /// <summary>Web servers that do not multiplex always use this id.</summary>
    private const int OnlyId = 1;

    private FastCgiRequest? _single;
    private Dictionary<ushort, FastCgiRequest>? _others;

    /// <summary>Requests that the peer has begun on this connection.</summary>
    public long Begun { get; set; }

    /// <summary>The peer has used this connection.</summary>
    public bool HasBegun => Begun > 0;

    /// <summary>The peer mixes requests, or has asked if it may. Once seen, it is so for good.</summary>
    public bool IsShared { get; set; }

    /// <summary>
    /// A slow reader stops the socket only where no other request uses it, nor is about to: the socket does not show
    /// what waits in it behind a body.
    /// </summary>
    public bool MayPause => !IsShared && Count == 1;

    public int Count => (_single is null ? 0 : 1) + (_others?.Count ?? 0);

    /// <summary>Aborted requests whose application still runs: their ids are free, and their places are not.</summary>
    public int Abandoned { get; set; }

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
        IsShared |= Count > 0 || request.RequestId != OnlyId;
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
