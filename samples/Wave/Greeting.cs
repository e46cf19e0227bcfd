using System.Text.Json.Serialization;

namespace WaveSample;

public sealed record Greeting(string Message)
{
    /// <summary>Made anew for each answer, as a real one would be.</summary>
    public static Greeting HelloWorld => new("Hello, World!");
}

[JsonSerializable(typeof(Greeting))]
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
internal sealed partial class GreetingJson : JsonSerializerContext;
