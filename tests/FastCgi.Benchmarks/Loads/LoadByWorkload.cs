namespace FastCgi.Benchmarks.Loads;

/// <summary>Messages of WebSockets by a load generator of our own, and requests by another one.</summary>
internal sealed class LoadByWorkload(IHttpLoad requests) : IHttpLoad
{
    private readonly WebSocketLoad _messages = new();

    public async Task<string> DescribeAsync() =>
        $"{await requests.DescribeAsync()}; messages by {await _messages.DescribeAsync()}";

    public Task<LoadResult> RunAsync(Uri address, LoadOrder order) =>
        (order.Workload.Message is null ? requests : _messages).RunAsync(address, order);
}
