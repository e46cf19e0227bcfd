using System.Text.Json.Serialization;

namespace HelloSample;

internal sealed record Greeting(string Message);

/// <summary>Serializers written by the compiler: Native AOT has no reflection to find them at run time.</summary>
[JsonSerializable(typeof(Greeting))]
[JsonSerializable(typeof(int))]
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
internal sealed partial class JsonContext : JsonSerializerContext;
