using Xunit.v3;

namespace FastCgi.TestKit;

/// <summary>Rows of docs/evidence/hard-inputs.md; also the trait <c>HardInput</c> for the runner.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class HardInputAttribute(params string[] rows) : Attribute, ITraitAttribute
{
    public IReadOnlyList<string> Rows { get; } = rows;

    public IReadOnlyCollection<KeyValuePair<string, string>> GetTraits() =>
        [.. Rows.Select(static row => KeyValuePair.Create("HardInput", row))];
}
