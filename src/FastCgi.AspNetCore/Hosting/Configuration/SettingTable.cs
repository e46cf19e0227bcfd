using Microsoft.Extensions.Configuration;

namespace FastCgi.AspNetCore.Hosting.Configuration;

/// <summary>The keys of one section and what each does to <typeparamref name="T"/>.</summary>
internal sealed class SettingTable<T>(params (string Name, Action<T, Setting> Apply)[] known)
{
    /// <summary>Applies the keys of the section; unknown ones are added to <paramref name="unknown"/>.</summary>
    /// <exception cref="InvalidOperationException">A value cannot be used.</exception>
    public void Apply(IConfiguration section, T target, ICollection<UnknownKey> unknown)
    {
        foreach (IConfigurationSection child in section.GetChildren())
        {
            if (Find(child.Key) is { } apply)
            {
                Apply(apply, target, new Setting(child));
            }
            else
            {
                unknown.Add(new UnknownKey(child.Path, Hint(child.Key)));
            }
        }
    }

    private string Hint(string name)
    {
        string[] names = [.. known.Select(static key => key.Name)];
        return EditDistance.Nearest(name, names) is { } nearest
            ? $"Did you mean {nearest}?"
            : $"Known are {string.Join(", ", names)}.";
    }

    /// <summary>Applies one value; what the target refuses is an error of the configuration.</summary>
    /// <exception cref="InvalidOperationException">The value cannot be used.</exception>
    public static void Apply(Action<T, Setting> apply, T target, Setting setting)
    {
        try
        {
            apply(target, setting);
        }
        catch (ArgumentException exception)
        {
            // What a setter refuses it explains; the name and the value that follow it are in our message already.
            int end = exception.Message.IndexOf(" (Parameter", StringComparison.Ordinal);
            throw setting.Invalid((end < 0 ? exception.Message : exception.Message[..end]).TrimEnd('.'), exception);
        }
    }

    private Action<T, Setting>? Find(string name)
    {
        foreach ((string candidate, Action<T, Setting> apply) in known)
        {
            if (candidate.Equals(name, StringComparison.OrdinalIgnoreCase))
            {
                return apply;
            }
        }

        return null;
    }
}
