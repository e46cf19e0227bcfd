using System.ComponentModel.DataAnnotations;

namespace ShopSample.Ordering;

/// <summary>One of the countries that the shop delivers to; a browser may send anything.</summary>
[AttributeUsage(AttributeTargets.Property)]
public sealed class DeliveryCountryAttribute : ValidationAttribute
{
    public DeliveryCountryAttribute()
        : base("We do not deliver there yet.")
    {
    }

    public static IReadOnlyList<string> Countries { get; } =
    [
        "Austria", "Belgium", "Denmark", "Finland", "France", "Germany", "Ireland", "Italy", "Luxembourg",
        "Netherlands", "Poland", "Portugal", "Spain", "Sweden", "Switzerland",
    ];

    /// <summary>That there must be one at all is for <see cref="RequiredAttribute"/> to say.</summary>
    public override bool IsValid(object? value) => value is null || (value is string name && Countries.Contains(name));
}
