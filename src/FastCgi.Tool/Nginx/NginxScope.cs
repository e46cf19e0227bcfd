namespace FastCgi.Tool.Nginx;

/// <summary>
/// A block with those around it. nginx inherits a directive from the nearest block that has it; of directives that may
/// stand several times, such as fastcgi_param, one in a block cancels all those of the blocks around.
/// </summary>
internal sealed class NginxScope(NginxDirective block, NginxScope? outer)
{
    public NginxDirective Block { get; } = block;

    public NginxScope? Outer { get; } = outer;

    /// <summary>This block and those around it, the nearest first.</summary>
    public IEnumerable<NginxScope> Chain
    {
        get
        {
            for (NginxScope? scope = this; scope is not null; scope = scope.Outer)
            {
                yield return scope;
            }
        }
    }

    public NginxScope Root => Outer?.Root ?? this;

    /// <summary>A file that is missing, or that may not be read, can bring directives to this block.</summary>
    public bool IsIncomplete => Chain.Any(static scope => scope.Block.All("include").Any());

    /// <summary>The one that is in force; null if it stands nowhere.</summary>
    public NginxDirective? Find(string name) => FindAll(name) is [.., var last] ? last : null;

    /// <summary>The directives in force, all of one block.</summary>
    public IReadOnlyList<NginxDirective> FindAll(string name)
    {
        foreach (NginxScope scope in Chain)
        {
            if (scope.Block.All(name) is var found && found.Any())
            {
                return [.. found];
            }
        }

        return [];
    }

    public bool IsOn(string name) => Find(name)?.Argument(0) == "on";

    /// <summary>The nearest block of a name around, or null.</summary>
    public NginxScope? Enclosing(string block) => Chain.FirstOrDefault(scope => scope.Block.Name == block);

    /// <summary>A size such as 32k, 1m or 4096; null if it is none.</summary>
    public static long? ParseSize(string text)
    {
        long factor = text.Length == 0 ? 1 : char.ToLowerInvariant(text[^1]) switch
        {
            'k' => 1024,
            'm' => 1024 * 1024,
            'g' => 1024 * 1024 * 1024,
            _ => 1,
        };
        return long.TryParse(
            factor == 1 ? text : text[..^1], NumberStyles.None, CultureInfo.InvariantCulture, out long number)
            ? number * factor
            : null;
    }
}
