using FastCgi.AspNetCore.Requests.Body;
using FastCgi.AspNetCore.Requests.Head;
using FastCgi.AspNetCore.Requests.Slot;
using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Requests.Response;

/// <summary>
/// The pooled parts of a request. An object that belongs to one request alone reaches these parts only while that
/// request lasts: <see cref="ResponseRecords"/> and <see cref="RequestBody"/> know their owner, and turn every other
/// away.
/// </summary>
internal sealed record PooledParts(
    ServerContext Server, IRequestSlot Slot, RequestHead Head, RequestBody Body, ResponseRecords Records);
