using System.IO.Pipelines;

namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>
/// Where an application goes on that waits for its body: on the thread that received the bytes, as the application was
/// begun, or else on the thread pool.
/// </summary>
internal sealed class BodyReadScheduler(RequestBody body) : PipeScheduler
{
    public override void Schedule(Action<object?> action, object? state)
    {
        if (body.Slot?.TryContinueAfterRead(action, state) != true)
        {
            ThreadPool.Schedule(action, state);
        }
    }
}
