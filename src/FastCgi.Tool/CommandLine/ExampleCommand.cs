namespace FastCgi.Tool.CommandLine;

/// <summary>A command whose help ends with examples.</summary>
/// <param name="name">The name as typed.</param>
/// <param name="description">Its purpose, in a sentence.</param>
/// <param name="examples">Complete command lines.</param>
internal abstract class ExampleCommand(string name, string description, params string[] examples)
    : Command(name, description)
{
    public IReadOnlyList<string> Examples { get; } = examples;

    protected void AddAll(params Option[] options) => Array.ForEach(options, Add);
}
