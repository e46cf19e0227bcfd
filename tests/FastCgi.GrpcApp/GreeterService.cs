using Grpc.Core;

namespace FastCgi.GrpcApp;

/// <summary>A call with one answer, and one with several.</summary>
public sealed class GreeterService : Greeter.GreeterBase
{
    public override Task<HelloReply> SayHello(HelloRequest request, ServerCallContext context) =>
        Task.FromResult(new HelloReply { Message = $"Hello {request.Name}" });

    public override async Task CountDown(
        HelloRequest request, IServerStreamWriter<HelloReply> responseStream, ServerCallContext context)
    {
        for (var i = 3; i > 0; i--)
        {
            await responseStream.WriteAsync(new HelloReply { Message = $"{i}" }, context.CancellationToken);
        }
    }
}
