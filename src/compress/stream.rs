//! Compressing and decompressing streams with bounded memory.

use std::io::{self, BufReader, Chain, Cursor, Read, Write};

use super::lz4::WholeFrames;
use super::{CompressOptions, Compression, DecompressOptions};
use crate::error::{Error, ErrorKind};

/// Compresses what is written to it. [`finish`](Compressor::finish) ends the stream; without it the stream is cut off.
///
/// # Examples
///
/// ```
/// use std::io::Write;
/// use marshal::compress::{CompressOptions, Compression, Compressor, decompress};
///
/// let mut compressor = Compressor::new(Vec::new(), &CompressOptions::new(Compression::Lz4))?;
/// for line in 0..1000 {
///     writeln!(compressor, "line {line}")?;
/// }
/// let packed = compressor.finish()?;
/// assert!(decompress(&packed)?.ends_with(b"line 999\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Compressor<W: Write>(Encoder<W>);

enum Encoder<W: Write> {
    Zstd(zstd::stream::write::Encoder<'static, W>),
    Lz4(Box<lz4_flex::frame::FrameEncoder<W>>),
    Gzip(flate2::write::GzEncoder<W>),
    Deflate(flate2::write::ZlibEncoder<W>),
    Brotli(Box<brotli::CompressorWriter<W>>),
}

impl<W: Write> Compressor<W> {
    /// A compressor that writes to `out`.
    ///
    /// # Errors
    ///
    /// Carries `bad-compression` for a dictionary with a format that has none.
    pub fn new(out: W, options: &CompressOptions) -> io::Result<Self> {
        Self::sized(out, options, None)
    }

    /// `len`: how much will be written, where it is known.
    pub(super) fn sized(out: W, options: &CompressOptions, len: Option<u64>) -> io::Result<Self> {
        if options.dictionary.is_some() && options.compression != Compression::Zstd {
            return Err(no_dictionaries(options.compression));
        }
        let level = options.level;
        let unsigned = level.unsigned_abs();
        Ok(Compressor(match options.compression {
            Compression::Zstd => {
                let dictionary = options.dictionary.as_ref().map_or(&[][..], |dictionary| dictionary.bytes());
                let mut encoder = zstd::stream::write::Encoder::with_dictionary(out, level, dictionary)?;
                encoder.include_checksum(true)?;
                encoder.set_pledged_src_size(len)?;
                Encoder::Zstd(encoder)
            }
            Compression::Lz4 => {
                let info = lz4_flex::frame::FrameInfo::new().content_checksum(true).content_size(len);
                Encoder::Lz4(Box::new(lz4_flex::frame::FrameEncoder::with_frame_info(info, out)))
            }
            Compression::Gzip => Encoder::Gzip(flate2::write::GzEncoder::new(out, flate2::Compression::new(unsigned))),
            Compression::Deflate => {
                Encoder::Deflate(flate2::write::ZlibEncoder::new(out, flate2::Compression::new(unsigned)))
            }
            Compression::Brotli => {
                Encoder::Brotli(Box::new(brotli::CompressorWriter::new(out, BUFFER, unsigned, BROTLI_WINDOW)))
            }
        }))
    }

    /// Ends the stream and gives the writer back.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn finish(self) -> io::Result<W> {
        match self.0 {
            Encoder::Zstd(encoder) => encoder.finish(),
            Encoder::Lz4(encoder) => encoder.finish().map_err(io::Error::from),
            Encoder::Gzip(encoder) => encoder.finish(),
            Encoder::Deflate(encoder) => encoder.finish(),
            Encoder::Brotli(mut encoder) => {
                encoder.flush()?;
                Ok(encoder.into_inner())
            }
        }
    }

    fn encoder(&mut self) -> &mut dyn Write {
        match &mut self.0 {
            Encoder::Zstd(encoder) => encoder,
            Encoder::Lz4(encoder) => encoder,
            Encoder::Gzip(encoder) => encoder,
            Encoder::Deflate(encoder) => encoder,
            Encoder::Brotli(encoder) => encoder,
        }
    }
}

impl<W: Write> Write for Compressor<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.encoder().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.encoder().flush()
    }
}

const BUFFER: usize = 1 << 16;
const BROTLI_WINDOW: u32 = 22;

/// The largest window that a zstd frame may ask for, as a power of two: what the format's own tool accepts.
const ZSTD_MAX_WINDOW_LOG: u32 = 27;

/// Decompresses what is read through it, of a detected format, and never gives more than the options allow.
///
/// # Examples
///
/// ```
/// use std::io::Read;
/// use marshal::compress::{Compression, DecompressOptions, Decompressor};
///
/// let packed = Compression::Gzip.compress(b"a stream of any length")?;
/// let mut text = String::new();
/// Decompressor::new(&packed[..], &DecompressOptions::new())?.read_to_string(&mut text)?;
/// assert_eq!(text, "a stream of any length");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Decompressor<R: Read> {
    decoder: Decoder<R>,
    left: u64,
    max: u64,
}

type Source<R> = BufReader<Chain<Cursor<Vec<u8>>, R>>;

enum Decoder<R: Read> {
    Zstd(zstd::stream::read::Decoder<'static, Source<R>>),
    Lz4(Box<lz4_flex::frame::FrameDecoder<WholeFrames<Source<R>>>>),
    Gzip(flate2::bufread::MultiGzDecoder<Source<R>>),
    Deflate(flate2::bufread::ZlibDecoder<Source<R>>),
    Brotli(Box<brotli::Decompressor<Source<R>>>),
}

impl<R: Read> Decompressor<R> {
    /// A decompressor of `input`, of which the first bytes are read here.
    ///
    /// # Errors
    ///
    /// Those of the reader, and one that carries `bad-compression` where the bytes are of no known format.
    pub fn new(mut input: R, options: &DecompressOptions) -> io::Result<Self> {
        let mut head = Vec::new();
        input.by_ref().take(4).read_to_end(&mut head)?;
        let format = match options.format.or_else(|| Compression::detect(&head)) {
            Some(format) if options.dictionary.is_some() && format != Compression::Zstd => {
                return Err(no_dictionaries(format));
            }
            Some(format) => format,
            None => {
                let detail = "the bytes begin with no known format's signature; Brotli has none and must be named";
                return Err(io::Error::other(Error::new(ErrorKind::BadCompression, detail)));
            }
        };
        let is_empty = head.is_empty();
        let source = BufReader::with_capacity(BUFFER, Cursor::new(head).chain(input));
        if is_empty {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let decoder = match format {
            Compression::Zstd => {
                let dictionary = options.dictionary.as_ref().map_or(&[][..], |dictionary| dictionary.bytes());
                let mut decoder = zstd::stream::read::Decoder::with_dictionary(source, dictionary)?;
                decoder.window_log_max(ZSTD_MAX_WINDOW_LOG)?;
                Decoder::Zstd(decoder)
            }
            Compression::Lz4 => Decoder::Lz4(Box::new(lz4_flex::frame::FrameDecoder::new(WholeFrames::new(source)))),
            Compression::Gzip => Decoder::Gzip(flate2::bufread::MultiGzDecoder::new(source)),
            Compression::Deflate => Decoder::Deflate(flate2::bufread::ZlibDecoder::new(source)),
            Compression::Brotli => Decoder::Brotli(Box::new(brotli::Decompressor::new(source, BUFFER))),
        };
        Ok(Decompressor { decoder, left: options.max_output, max: options.max_output })
    }

    fn decode(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.decoder {
            Decoder::Zstd(decoder) => decoder.read(buffer),
            // It ends with each frame, and begins the next when it is asked again.
            Decoder::Lz4(decoder) => loop {
                match decoder.read(buffer)? {
                    0 if !decoder.get_mut().is_at_end()? => {}
                    n => return Ok(n),
                }
            },
            Decoder::Gzip(decoder) => decoder.read(buffer),
            Decoder::Deflate(decoder) => decoder.read(buffer),
            Decoder::Brotli(decoder) => decoder.read(buffer),
        }
    }

    /// Where the stream of a format that stands alone has ended, nothing may follow.
    fn refuse_trailing(&mut self) -> io::Result<()> {
        let source = match &mut self.decoder {
            Decoder::Deflate(decoder) => decoder.get_mut(),
            Decoder::Brotli(decoder) => {
                // Asked again behind its end, it fails if it holds more input.
                let _ = decoder.read(&mut [0])?;
                decoder.get_mut()
            }
            // The others go on with the next frame, or refuse what follows themselves.
            _ => return Ok(()),
        };
        match source.read(&mut [0])? {
            0 => Ok(()),
            _ => Err(io::Error::new(io::ErrorKind::InvalidData, "bytes follow the end of the stream")),
        }
    }
}

impl<R: Read> Read for Decompressor<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if self.left == 0 {
            // Only the end may follow: one byte more is over the bound.
            return match self.decode(&mut [0])? {
                0 => self.refuse_trailing().map(|()| 0),
                _ => {
                    let detail = format!("decompresses to more than {} bytes", self.max);
                    Err(io::Error::other(Error::new(ErrorKind::LimitExceeded, detail)))
                }
            };
        }
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let n = self.decode(&mut buffer[..most])?;
        if n == 0 {
            self.refuse_trailing()?;
        }
        self.left -= n as u64;
        Ok(n)
    }
}

fn no_dictionaries(compression: Compression) -> io::Error {
    let detail = format!("{compression} has no dictionaries; zstd does");
    io::Error::other(Error::new(ErrorKind::BadCompression, detail))
}
