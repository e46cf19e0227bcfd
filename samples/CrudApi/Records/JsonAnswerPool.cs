using Microsoft.Extensions.ObjectPool;

namespace CrudApiSample.Records;

/// <summary>Keeps the buffers of answers. One that an exception interrupted is not given back.</summary>
internal sealed class JsonAnswerPool
{
    private readonly DefaultObjectPool<JsonAnswer> _answers = new(new Policy());

    public JsonAnswer Rent() => _answers.Get();

    public void Return(JsonAnswer answer) => _answers.Return(answer);

    private sealed class Policy : PooledObjectPolicy<JsonAnswer>
    {
        public override JsonAnswer Create() => new();

        public override bool Return(JsonAnswer answer)
        {
            answer.Reset();
            return answer.IsReusable;
        }
    }
}
