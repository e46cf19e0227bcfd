using System.Net.Sockets;
using System.Net.WebSockets;

namespace FastCgi.Benchmarks.Compare;

/// <summary>One answer before anything is measured.</summary>
/// <param name="Body">Empty when there was none.</param>
/// <param name="Reason">Why the target is not measured with the workload; null when it is.</param>
/// <param name="IsFault">That is wrong, and not only missing.</param>
internal sealed record CheckedAnswer(byte[] Body, string? Reason, bool IsFault)
{
    public static async Task<CheckedAnswer> AskAsync(IRoute route, RunningTarget target, Workload workload)
    {
        Answer answer;
        try
        {
            answer = await route.AskAsync(target, workload);
        }
        catch (Exception exception) when (
            exception is IOException or SocketException or HttpRequestException or OperationCanceledException
                or WebSocketException)
        {
            return new([], $"no answer: {exception.Message}", IsFault: true);
        }

        string? fault = answer.Status == 200 ? workload.Check(answer.Body) : $"status {answer.Status}";
        return answer.Status == 404
            ? new([], "does not have this workload", IsFault: false)
            : new(answer.Body, fault is null ? null : $"wrong answer: {fault}", fault is not null);
    }
}
