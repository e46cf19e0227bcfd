using System.ComponentModel.DataAnnotations;
using ShopSample.Data;

namespace ShopSample.Ordering;

/// <summary>What the checkout asks. The lengths are those of the table.</summary>
public sealed class OrderForm
{
    /// <summary>More than the longest field may have.</summary>
    private const int MaxDraftLength = 500;

    /// <summary>Room for all that the shop sells.</summary>
    private const int MaxShownLength = 2000;

    [Display(Name = "Name")]
    [Required(ErrorMessage = "Tell us who the parcel is for.")]
    [StringLength(Schema.NameLength, ErrorMessage = "At most {1} characters fit on the label.")]
    public string? Name { get; set; }

    [Display(Name = "E-mail")]
    [Required(ErrorMessage = "We need an address for the confirmation.")]
    [StringLength(Schema.EmailLength, ErrorMessage = "At most {1} characters, please.")]
    [EmailAddress(ErrorMessage = "This does not look like an e-mail address.")]
    public string? Email { get; set; }

    [Display(Name = "Street and number")]
    [Required(ErrorMessage = "Where do you live?")]
    [StringLength(Schema.StreetLength, ErrorMessage = "At most {1} characters fit on the label.")]
    public string? Street { get; set; }

    [Display(Name = "Postcode")]
    [Required(ErrorMessage = "The postcode is missing.")]
    [RegularExpression(
        "[A-Za-z0-9][A-Za-z0-9 -]{2,10}", ErrorMessage = "Three to eleven letters, digits, spaces or hyphens.")]
    public string? Postcode { get; set; }

    [Display(Name = "Town")]
    [Required(ErrorMessage = "The town is missing.")]
    [StringLength(Schema.CityLength, ErrorMessage = "At most {1} characters fit on the label.")]
    public string? City { get; set; }

    [Display(Name = "Country")]
    [Required(ErrorMessage = "Choose a country.")]
    [DeliveryCountry]
    public string? Country { get; set; }

    [Display(Name = "Note to us")]
    [StringLength(Schema.NoteLength, ErrorMessage = "At most {1} characters, please.")]
    public string? Note
    {
        get;
        // A form sends two characters for a line break, which the browser's counter counts as one.
        set => field = value?.ReplaceLineEndings("\n");
    }

    /// <summary>
    /// The order that the page with the form showed; null in a draft whose order is still the one shown.
    /// </summary>
    public string? Shown { get; set; }

    /// <summary>The form for its next display. Text that is far too long is cut, and still too long.</summary>
    public OrderForm Cut() => new()
    {
        Name = Cut(Name),
        Email = Cut(Email),
        Street = Cut(Street),
        Postcode = Cut(Postcode),
        City = Cut(City),
        Country = Cut(Country),
        Note = Cut(Note),
        Shown = Cut(Shown, MaxShownLength),
    };

    private static string? Cut(string? text, int length = MaxDraftLength) => text?[..Math.Min(text.Length, length)];
}
