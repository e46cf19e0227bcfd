using System.Text.Json.Serialization;

namespace FastCgi.Benchmarks.Application;

/// <summary>What the JSON workloads answer.</summary>
public sealed record Greeting(string Message);

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(Greeting))]
internal sealed partial class GreetingJson : JsonSerializerContext;
